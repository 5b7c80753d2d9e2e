import type { Pty } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { SimulatedPtyOwner } from './simulated-pty.ts';

const spec = { id: 'one', command: ['sh'], cwd: '/', env: {}, cols: 80, rows: 24 } as const;

/** Reads `pty` from `offset` and records data as `offset:text`. */
function reader(pty: Pty, offset = 0): string[] {
  const heard: string[] = [];
  pty.read(offset, {
    data: (bytes, at) => heard.push(`${at}:${Buffer.from(bytes).toString()}`),
    exit: ({ exitCode }) => heard.push(`exit ${exitCode}`),
  });
  return heard;
}

describe('a simulated pty', () => {
  it('delivers the output of its program, then the exit', async () => {
    const owner = new SimulatedPtyOwner();
    const heard = reader(await owner.spawn(spec));
    owner.last.output('ab');
    owner.last.output('c');
    owner.last.end(3);
    expect(heard).toEqual(['0:ab', '2:c', 'exit 3']);
  });

  it('delivers at most its high-water mark ahead of acknowledgements, and the exit after all output', async () => {
    const owner = new SimulatedPtyOwner({ highWater: 4 });
    const pty = await owner.spawn(spec);
    const heard = reader(pty);
    owner.last.output('abcdef');
    owner.last.end();
    expect(heard).toEqual(['0:abcd']);
    pty.acknowledge(3);
    expect(heard).toEqual(['0:abcd', '4:ef', 'exit 0']);
    expect(() => pty.acknowledge(7)).toThrow('only 6 handed over');
  });

  it('records input, sizes and signals until its end', async () => {
    const owner = new SimulatedPtyOwner();
    const pty = await owner.spawn(spec);
    const use = (): void => {
      pty.write('x');
      pty.resize(10, 5);
      pty.signal('SIGINT');
    };
    use();
    owner.last.end();
    use();
    const { keys, sizes, signals } = owner.last;
    expect({ keys, sizes, signals }).toEqual({ keys: 'x', sizes: [[10, 5]], signals: ['SIGINT'] });
  });

  it('is read by the next host from the acknowledged offset, and the old host receives nothing more', async () => {
    const owner = new SimulatedPtyOwner({ outlivesHost: true });
    const before = reader(await owner.spawn(spec));
    owner.last.output('abc');
    const next = owner.restart();
    owner.last.output('def');
    const {
      ptys: [pty],
    } = await next.adopt();
    if (pty === undefined) throw new Error('nothing was adopted');
    expect(reader(pty, 2)).toEqual(['2:cdef']);
    expect(before).toEqual(['0:abc']);
    await expect(owner.spawn(spec)).rejects.toThrow('the host is stopping');
  });

  it('exits with 129 by default when it is killed', async () => {
    const owner = new SimulatedPtyOwner();
    const pty = await owner.spawn(spec);
    const heard = reader(pty);
    await pty.kill();
    expect(heard).toEqual(['exit 129']);
  });

  it('fails to start when a test says so', async () => {
    const owner = new SimulatedPtyOwner();
    owner.failNextSpawn('no pty left');
    await expect(owner.spawn(spec)).rejects.toThrow('no pty left');
    expect((await owner.spawn(spec)).id).toBe('one');
  });

  it('is ended when its owner closes, unless it outlives the host', async () => {
    for (const outlivesHost of [false, true]) {
      const owner = new SimulatedPtyOwner({ outlivesHost });
      await owner.spawn(spec);
      await owner.close();
      expect(owner.last.hasEnded).toBe(!outlivesHost);
      expect((await owner.adopt()).ptys).toHaveLength(outlivesHost ? 1 : 0);
    }
  });
});
