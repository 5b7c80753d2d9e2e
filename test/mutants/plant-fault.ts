// Loaded before the simulator by `--import`. Plants the fault of the variable PLANTED_FAULT into a source while Node loads it, and leaves the
// file as it is.
import { registerHooks } from 'node:module';

const fault: { readonly url: string; readonly find: string; readonly replace: string } = JSON.parse(
  process.env['PLANTED_FAULT'] ?? '',
);

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (url !== fault.url) return loaded;
    const parts = String(loaded.source).split(fault.find);
    if (parts.length !== 2)
      throw new Error(`${url} has the place of the fault ${parts.length - 1} times, not once`);
    return { ...loaded, source: parts.join(fault.replace) };
  },
});
