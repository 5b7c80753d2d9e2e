#!/usr/bin/env node
// Uses old syntax only, so that an unsupported Node can parse this file and print the line. npm links it before anything is built.
if (parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    'agenthost needs Node.js 24 or newer; this is ' + process.version + ' (' + process.execPath + ').\n',
  );
  process.exitCode = 1;
} else {
  // Node 24 prints at every start that `node:sqlite` is experimental, which users cannot change. All other warnings are shown.
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
