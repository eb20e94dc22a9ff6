# The service in a container: docker build -t oms . — compose.yaml runs it with PostgreSQL and a bucket. The COPY and RUN
# lines of each stage need nothing but the files that it copies (tests/torture/deploy.test.ts carries them out).

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY types ./types
COPY public ./public
COPY config ./config
COPY database ./database
COPY bench ./bench
COPY scripts ./scripts
COPY src ./src
RUN npm run build
# Of the plugins' folders Strapi reads these at run time; what is compiled is in dist.
RUN mkdir manifests && cp --parents src/plugins/*/package.json manifests

# What production needs: no compiler, no browser, no tests.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
# What builds the panel comes with Strapi, and a built service does not load it.
RUN cd node_modules && rm -rf typescript vite @vitejs rollup @rollup webpack esbuild @esbuild @swc fork-ts-checker-webpack-plugin typedoc

FROM node:24-bookworm-slim
# PostgreSQL's programs, for backups of it.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
RUN install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production HOST=0.0.0.0 OMS_DATA_DIR=/data MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/public ./public
COPY --from=build /app/manifests ./
COPY --from=build /app/dist ./dist
USER node
VOLUME /data
EXPOSE 1337
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT||1337}/_health`).then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
# Not by npm, which would pass signals on once more, and write to a folder of its own.
CMD ["node", "--max-semi-space-size=16", "dist/scripts/start.js"]
