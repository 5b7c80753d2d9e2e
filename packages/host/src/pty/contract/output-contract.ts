import { expect, it } from 'vitest';
import { CONTRACT_LIMITS, type PtyOwnerUnderTest } from './contract-spec.ts';

/** How often the run that could lose output at its end is repeated; 200 before it is believed. */
const EXIT_ROUNDS = Number(process.env['PTY_EXIT_ROUNDS'] ?? 5);
/** What one read may add past the mark. */
const READ_BYTES = 64 * 1024;

/** Output on its way to the reader. */
export function outputContract(here: PtyOwnerUnderTest): void {
  it('hands over bytes as they are, whatever they mean', async () => {
    const pty = await here.spawn(String.raw`stty raw; printf '\377\000\200\033[1m\342\202\n'`);
    await pty.read().exit;
    expect(pty.bytes.toString('hex')).toBe('ff00801b5b316de2820a');
  });

  it(`loses nothing at the end of a program that put out 7.9 MB, ${EXIT_ROUNDS} times of ${EXIT_ROUNDS}`, async () => {
    const expected = Buffer.from(
      Array.from({ length: 1_000_000 }, (_, index) => `${index + 1}\r\n`).join(''),
    );
    for (let round = 0; round < EXIT_ROUNDS; round += 1) {
      const pty = await here.spawn(['seq', '1', '1000000']);
      expect(await pty.read().exit).toEqual({ exitCode: 0 });
      expect(pty.length, `bytes of round ${round}`).toBe(expected.length);
      expect(pty.bytes.equals(expected), `bytes of round ${round} are those put out`).toBe(true);
      pty.forget();
    }
  }, 600_000);

  it('loses nothing of a program that was gone before anybody read', async () => {
    const pty = await here.spawn('seq 1 2000; printf end; exit 3');
    const other = await here.spawn('seq 1 100000');
    await other.read().exit;
    expect(await pty.read().exit).toEqual({ exitCode: 3 });
    expect(pty.text).toBe(`${Array.from({ length: 2_000 }, (_, index) => `${index + 1}\r\n`).join('')}end`);
  });

  it('tells the exit only when everything was acknowledged far enough to be handed over', async () => {
    const pty = await here.spawn('seq 1 100000; exit 9');
    await pty.read({ isAcknowledging: false }).waitUntil(() => pty.length >= CONTRACT_LIMITS.highWater);
    let hasExited = false;
    void pty.exit.then(() => {
      hasExited = true;
    });
    const other = await here.spawn('seq 1 100000');
    await other.read().exit;
    expect(hasExited).toBe(false);
    pty.acknowledge();
    expect(await pty.exit).toEqual({ exitCode: 9 });
    expect(pty.text.slice(-8)).toBe('100000\r\n');
  });

  it('tells while it is held that there is output, hands over the rest once it is not, and the exit behind it', async () => {
    const pty = await here.spawn('seq 1 30000; exit 4');
    pty.pty.hold(true);
    await pty.read({ isAcknowledging: false }).waitUntil(() => pty.length > 0);
    let hasExited = false;
    void pty.exit.then(() => {
      hasExited = true;
    });
    // As long as this takes, more could have come.
    const other = await here.spawn('seq 1 100000');
    await other.read().exit;
    expect(pty.length).toBeLessThanOrEqual(READ_BYTES);
    expect(hasExited).toBe(false);
    pty.pty.hold(false);
    pty.acknowledge();
    expect(await pty.exit).toEqual({ exitCode: 4 });
    expect(pty.text).toBe(Array.from({ length: 30_000 }, (_, index) => `${index + 1}\r\n`).join(''));
  });

  it('stops at the high-water mark while nobody acknowledges, holds up no other pty, and goes on after', async () => {
    const { highWater } = CONTRACT_LIMITS;
    const flood = await here.spawn(['yes']);
    await flood.read({ isAcknowledging: false }).waitUntil(() => flood.length >= highWater);
    // As long as this takes, the flood could have gone on.
    const other = await here.spawn(['seq', '1', '500000']);
    await other.read().exit;
    expect(flood.length).toBeLessThan(highWater + READ_BYTES);
    flood.acknowledge();
    await flood.waitUntil(() => flood.length > 4 * highWater);
  });
}
