FROM python:3.13-slim
WORKDIR /app

# Dependencies change less often than the program: their layer is kept.
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . .

RUN useradd --create-home app
USER app
CMD ["python", "-m", "app"]
