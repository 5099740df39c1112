# Dependencies are installed apart, so that neither npm's cache nor the tools that are only for development get into the image.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
# npm keeps development tools that a dependency could use too (its optional peers), until they are named nowhere any more; and
# the packages that bring a Node along are for machines without one.
RUN npm ci --omit=dev --no-audit --no-fund \
  && npm pkg delete devDependencies && npm prune --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data LOG_FORMAT=json
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY examples ./examples
COPY migrations ./migrations
COPY packages ./packages
COPY seeds ./seeds
COPY src ./src
# Only /data can be written; `catalog` runs any command: docker compose exec catalog catalog doctor
RUN ln -s /app/src/catalog.mjs /usr/local/bin/catalog && mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME /data
EXPOSE 3000
# Whether the process runs, not whether its database does: reads go on while that is away, and a restart would not help.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A webhook that is under way is waited for; docker stop gives ten seconds unless told more.
STOPSIGNAL SIGTERM
CMD ["node", "src/catalog.mjs", "serve"]
