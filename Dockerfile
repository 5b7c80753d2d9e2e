# The image of agenthost, built at the root of the repository: docker build -t agenthost .
# docs/container.md describes it.
ARG NODE_IMAGE=docker.io/library/node:24-trixie-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /source
COPY . .
# The install scripts would fetch a second Node.
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && node scripts/build.ts \
 && node scripts/pack-packages.ts /tarballs
# Half of the size is types and source maps, which no program reads.
RUN npm install --prefix /opt/agenthost --no-audit --no-fund /tarballs/*.tgz \
 && find /opt/agenthost \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' -o -name '*.md' \) -type f -delete

FROM ${NODE_IMAGE}
# tini collects the processes that agents and terminals leave behind.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git less openssh-client procps ripgrep tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --home-dir /data --create-home --shell /bin/bash agenthost \
 && install --directory --owner=agenthost --group=agenthost /work \
 && ln -s /opt/agenthost/node_modules/.bin/agenthost /usr/local/bin/agenthost
COPY --from=packages /opt/agenthost /opt/agenthost
ENV HOME=/data LANG=C.UTF-8 SHELL=/bin/bash NO_UPDATE_NOTIFIER=1
USER agenthost
WORKDIR /work
VOLUME /data
EXPOSE 4711
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:4711/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "agenthost"]
CMD ["serve", "--host", "0.0.0.0", "--insecure-listen", "--root", "/work", "--drain", "60"]
