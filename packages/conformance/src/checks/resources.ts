import type { Bench } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { NotApplicable, Violation } from '../kit/verdict.ts';
import type { RawClient } from '../link/raw-client.ts';
import { isObject, shown } from '../recording/entry.ts';

/** A client with a session in the scratch folder, whose files may then be read. */
async function reader(bench: Bench): Promise<RawClient> {
  const client = await bench.connect();
  await bench.session(client);
  const { error } = await client.request('resourceRead', { uri: bench.folderUri });
  if (error?.code === -32601) throw new NotApplicable('the host serves no files');
  return client;
}

/** A client with a session in the scratch folder, whose files may then be listed. */
async function lister(bench: Bench): Promise<RawClient> {
  const client = await reader(bench);
  const answer = await client.request('resourceList', { uri: bench.folderUri });
  if (answer.error?.code === -32601) throw new NotApplicable('the host lists no files');
  if (answer.error !== undefined)
    throw new Violation(`resourceList failed: ${shown(answer.error.message)}`, [answer.frame]);
  return client;
}

/** Files in the working directory of a session. */
export const resourceChecks = [
  check('RES-1', 'a written file is read back, listed, moved and deleted', async (bench) => {
    const client = await lister(bench);
    const name = `kit-${bench.newId()}.txt`;
    const uri = `${bench.folderUri}/${name}`;
    const written = await client.request('resourceWrite', { uri, data: 'grüezi\n', encoding: 'utf-8' });
    if (written.error?.code === -32601) throw new NotApplicable('the host writes no files');
    if (written.error !== undefined)
      throw new Violation(`resourceWrite failed: ${shown(written.error.message)}`, [written.frame]);
    const { data } = await client.call('resourceRead', { uri });
    if (data !== 'grüezi\n')
      throw new Violation(`expected the text that was written, got ${shown(data)}`, client.frames.slice(-2));
    const { entries } = await client.call('resourceList', { uri: bench.folderUri });
    const isListed =
      Array.isArray(entries) && entries.some((entry) => isObject(entry) && entry['name'] === name);
    if (!isListed) throw new Violation(`${name} is not listed`, client.frames.slice(-2));
    await client.refused('resourceWrite', { uri, data: '', encoding: 'utf-8', createOnly: true }, -32010);
    const destination = `${uri}.moved`;
    await client.call('resourceMove', { source: uri, destination });
    await client.refused('resourceRead', { uri }, -32008, -32006);
    await client.call('resourceDelete', { uri: destination });
  }),
  check('RES-1', 'a file that does not exist is refused with -32008', async (bench) => {
    const client = await reader(bench);
    await client.refused('resourceRead', { uri: `${bench.folderUri}/kit-none` }, -32008);
  }),
  check('RES-2', 'a file outside of every working directory is refused with -32009', async (bench) => {
    const client = await reader(bench);
    await client.refused('resourceRead', { uri: 'file:///etc/hosts' }, -32009);
  }),
];
