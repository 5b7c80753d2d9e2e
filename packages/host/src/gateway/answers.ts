import type { PlainAnswer } from '../wire/http/plain-http.ts';

/** Time after which a client tries again to reach a host that is down. A standby needs up to 10 s. */
const DOWN_WAIT_MS = 1_000;

/** The path names no cell. */
export const NO_HOST: PlainAnswer = { status: 404, reason: 'no host has this name: / lists the hosts' };

/** No machine holds the cell, its host accepts connections and does not answer, or too many clients wait for it. */
export const DOWN: PlainAnswer = {
  status: 503,
  reason: 'the host is down: try again when its machine or a standby has taken its cell',
  waitMs: DOWN_WAIT_MS,
};

/** The address of the host is one of the gateway's own machine, but the host runs on another machine. */
export const ELSEWHERE: PlainAnswer = {
  status: 503,
  reason: 'the host listens only on its own machine: start it with --host, or with --announce',
  waitMs: DOWN_WAIT_MS,
};

/** The file of `--host-tokens` has no entry for the cell. */
export const NO_TOKEN: PlainAnswer = {
  status: 503,
  reason: 'the gateway has no token for this host: add one to the file of --host-tokens',
  waitMs: DOWN_WAIT_MS,
};

/** The host does not accept the token that the gateway has for it. The client has signed in correctly. */
export const REFUSED_TOKEN: PlainAnswer = {
  status: 503,
  reason:
    'the host does not accept the token that the gateway has for it: the administrator of the gateway must correct the token of this host (--host-tokens)',
  waitMs: DOWN_WAIT_MS,
};

/** A host holds the cell, but cannot be reached at the address that it announces. `url`: shown to clients that are signed in. */
export const unreachable = (url: string | undefined): PlainAnswer => ({
  status: 503,
  reason: `the gateway cannot reach the host at ${url === undefined ? 'the address that it announces' : new URL(url).origin}: the host may have stopped just now; if it runs, correct its --announce or the network`,
  waitMs: DOWN_WAIT_MS,
});

/** The database did not answer, and the gateway has not read the cell before. */
export const NO_DATABASE: PlainAnswer = {
  status: 503,
  reason: 'the database of the gateway does not answer',
  waitMs: DOWN_WAIT_MS,
};

/** The database has no tables of a host. */
export const NO_TABLES: PlainAnswer = {
  status: 503,
  reason: 'no host has used the database of the gateway yet: start one with --journal',
  waitMs: DOWN_WAIT_MS,
};
