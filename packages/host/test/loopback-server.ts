import { Gate } from '../src/auth/gate.ts';
import { GuessLimit } from '../src/auth/guess-limit.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { HostServer, type ServerOptions } from '../src/wire/http/server.ts';

/** A server for a free port of this machine that knows this token alone, and is ready; nobody cares for its connections. */
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
