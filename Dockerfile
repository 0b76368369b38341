# The image of berth: Node, its libraries and the program; no shell. scripts/image-root.mjs writes its files.
#
#   docker build -t berth .
#   docker run --rm berth --local pods list
#   docker run --rm -e BERTH_API_KEY berth pods list
ARG NODE=node:24-bookworm-slim

FROM ${NODE} AS build
WORKDIR /berth
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund && node scripts/image-root.mjs /image

FROM scratch
COPY --from=build /image/ /
ENV PATH=/usr/bin HOME=/home/berth
USER 65532:65532
WORKDIR /home/berth
ENTRYPOINT ["/usr/bin/berth"]
