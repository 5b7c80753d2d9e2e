import { expect, it } from 'vitest';
import { hostWords } from './host-errors.ts';

it.each([
  [
    'createSession takes a token of scope interact; this one has observe, and may only look',
    "starting a session takes a token of scope interact; this one may only observe; `agenthost token create --scope interact` on the host's machine makes one",
  ],
  [
    'permissionDenied: root/configChanged takes a token of scope admin; this one has interact, and may work in sessions and terminals, and no more',
    "changing settings of the host takes a token of scope admin; this one may work in sessions and terminals, and no more; `agenthost token create --scope admin` on the host's machine makes one",
  ],
  [
    'no terminal: createTerminal takes a token of scope interact; this one has observe, and may only look',
    "no terminal: opening a terminal takes a token of scope interact; this one may only observe; `agenthost token create --scope interact` on the host's machine makes one",
  ],
  [
    'x-later takes a token of scope admin; this one has observe, and may only look',
    "that takes a token of scope admin; this one may only observe; `agenthost token create --scope admin` on the host's machine makes one",
  ],
])('of what a token is too little for, %j, it says what the person did', (said, shown) => {
  expect(hostWords(said)).toBe(shown);
});

it.each([
  [
    'params.config.approvals: expected one of "ask", "all"',
    '--config approvals: expected one of "ask", "all"',
  ],
  ['params.config.instructions: expected a string', '--instructions: expected a string'],
  ['params.config.metadata: expected an object, a string', '--meta: expected an object, a string'],
  [
    'no terminal: params.name: expected 1 to 100 characters',
    'no terminal: --name: expected 1 to 100 characters',
  ],
  ['params.lifetimeSeconds: expected a whole number', '--expires, in seconds: expected a whole number'],
  ['params.x-env.PATH: holds a NUL character', '--env PATH: holds a NUL character'],
  ['params.offset: expected 0 to 3', 'offset: expected 0 to 3'],
])('names the option in place of the parameter: %j', (said, shown) => {
  expect(hostWords(said)).toBe(shown);
});

it.each([
  ['No directory "file:///no%20such/place"', 'No directory "/no such/place"'],
  ['file:///srv/x: outside', '/srv/x: outside'],
  ['No directory "file:///srv/a%20%20b%09c"', 'No directory "/srv/a  b\tc"'],
  ['No directory "file:///srv/a%0Aagenthost:%20done"', 'No directory "file:///srv/a%0Aagenthost:%20done"'],
  ['No directory "file:///a%E2%80%A8b%1B[2J"', 'No directory "file:///a%E2%80%A8b%1B[2J"'],
  ['file:///no%ffutf8 is odd', 'file:///no%ffutf8 is odd'],
  ['Nothing of this kind', 'Nothing of this kind'],
])('shows files and folders as paths: %j', (said, shown) => {
  expect(hostWords(said)).toBe(shown);
});
