import { expect, it } from 'vitest';
import { HeldOutput } from './held-output.ts';

function setUp() {
  let taken = '';
  const offsets: number[] = [];
  const output = new HeldOutput((bytes, offset) => {
    offsets.push(offset);
    taken += Buffer.from(bytes).toString('latin1');
  });
  return { output, offsets, taken: () => taken };
}

it('copies held bytes: their buffer is reused later', () => {
  const { output, offsets, taken } = setUp();
  const buffer = Buffer.alloc(50_000);
  let expected = '';
  for (const letter of 'abcdefgh') {
    buffer.fill(letter);
    output.push(buffer, 1_000_003 + expected.length);
    expected += letter.repeat(buffer.length);
  }
  buffer.fill(0);
  expect(taken()).toBe('');
  output.resume();
  expect(taken() === expected).toBe(true);
  expect(offsets[0]).toBe(1_000_003);
  expect(output.isEmpty).toBe(true);
});

it('passes on bytes with the offsets of the pty, whenever it was paused', () => {
  const { output, offsets, taken } = setUp();
  const push = (text: string, offset: number): void => output.push(Buffer.from(text), offset);
  output.resume();
  push('abc', 7);
  output.pause();
  push('d', 10);
  push('ef', 11);
  output.resume();
  push('g', 13);
  output.pause();
  // The bytes between were dropped while no host was running.
  push('z', 100);
  output.resume();
  expect(taken()).toBe('abcdefgz');
  expect(offsets).toEqual([7, 10, 13, 100]);
});

it('calls back at the end only once nothing is held and it is not paused', () => {
  const { output, taken } = setUp();
  let finished = 0;
  const finish = (): void => {
    finished += 1;
  };
  output.finish(finish);
  output.push(Buffer.from('a'), 0);
  expect(finished).toBe(0);
  output.resume();
  expect([taken(), finished]).toEqual(['a', 1]);
  output.finish(finish);
  expect(finished).toBe(2);
  output.pause();
  output.finish(finish);
  output.end();
  output.resume();
  output.push(Buffer.from('b'), 1);
  expect([taken(), finished]).toEqual(['a', 2]);
});
