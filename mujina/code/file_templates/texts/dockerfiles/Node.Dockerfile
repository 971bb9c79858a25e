FROM node:22-alpine
WORKDIR /app
ENV NODE_ENV=production

# Dependencies change less often than the program: their layer is kept.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY . .

USER node
EXPOSE 3000
CMD ["node", "server.js"]
