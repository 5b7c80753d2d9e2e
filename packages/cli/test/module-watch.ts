// Comes before the program, by `--import`: writes down what it loads, and takes one module away.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { LOADED_MODULES: log, LOST_MODULE: lost } = process.env;
registerHooks({
  load: (url, context, nextLoad) => {
    if (log !== undefined) appendFileSync(log, `${url}\n`);
    if (lost !== undefined && url.endsWith(lost)) throw new Error(`${url} is gone`);
    return nextLoad(url, context);
  },
});
