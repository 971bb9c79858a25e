FROM ruby:3.4-slim
WORKDIR /app
COPY Gemfile Gemfile.lock ./
RUN bundle install
COPY . .
RUN useradd --create-home app
USER app
CMD ["bundle", "exec", "ruby", "app.rb"]
