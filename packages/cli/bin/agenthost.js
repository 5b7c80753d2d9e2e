#!/usr/bin/env node
// Plain old syntax only: a Node that is too old must be able to parse this file and say so. npm links it before anything is built.
var parts = process.versions.node.split('.').map(Number);
if (parts[0] < 22 || (parts[0] === 22 && parts[1] < 15)) {
  process.stderr.write(
    'agenthost needs Node.js 22.15 or newer; this is ' + process.version + ' (' + process.execPath + ').\n',
  );
  process.exitCode = 1;
} else {
  // Node 22 calls its SQLite experimental at every start; people can do nothing about it. All other warnings are shown.
  process.removeAllListeners('warning');
  process.on('warning', function (warning) {
    if (warning.name === 'ExperimentalWarning' && /SQLite/.test(warning.message)) return;
    process.stderr.write(warning.name + ': ' + warning.message + '\n');
  });
  import('../dist/main.js').catch(function (error) {
    var notBuilt =
      error && error.code === 'ERR_MODULE_NOT_FOUND' && /dist.main\.js/.test(String(error.message));
    process.stderr.write(
      notBuilt
        ? 'agenthost is not built here yet: run `npm run build` in its repository.\n'
        : 'agenthost could not start: ' + ((error && error.stack) || error) + '\n',
    );
    process.exitCode = 1;
  });
}
