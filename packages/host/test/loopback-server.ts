import { Gate } from '../src/auth/gate.ts';
import { GuessLimit } from '../src/auth/guess-limit.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { HostServer, type ServerOptions } from '../src/wire/http/server.ts';

/** A server with this owner token, for a free port of this machine. Its connections are ignored. */
export function loopbackServer(ownerToken: string, options: Partial<ServerOptions> = {}): HostServer {
  return new HostServer({
    host: '127.0.0.1',
    port: 0,
    gate: new Gate({
      ownerToken,
      tokens: { identify: () => undefined, isValid: () => false },
      guesses: new GuessLimit(systemClock, () => undefined),
      clock: systemClock,
    }),
    allowedOrigins: [],
    allowedHosts: [],
    log: silentLog,
    isReady: () => true,
    accept: () => undefined,
    ...options,
  });
}
