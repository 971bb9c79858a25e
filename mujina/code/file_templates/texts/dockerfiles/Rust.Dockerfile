FROM rust:1-slim AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked

FROM debian:stable-slim
# The name of the program is that of the package in Cargo.toml.
COPY --from=build /src/target/release/app /usr/local/bin/app
USER nobody
ENTRYPOINT ["app"]
