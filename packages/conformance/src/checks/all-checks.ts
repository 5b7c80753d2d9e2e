import type { Check } from '../kit/check.ts';
import { actionChecks } from './actions.ts';
import { chatChecks } from './chats.ts';
import { handshakeChecks } from './handshake.ts';
import { messageChecks } from './messages.ts';
import { negotiationChecks } from './negotiation.ts';
import { reconnectChecks } from './reconnect.ts';
import { requestChecks } from './requests.ts';
import { resourceChecks } from './resources.ts';
import { rootChecks } from './root.ts';
import { sessionChecks } from './sessions.ts';
import { subscribeChecks } from './subscribe.ts';
import { terminalChecks } from './terminals.ts';
import { turnChecks } from './turns.ts';

/** All checks, in the order in which they run. */
export const ALL_CHECKS: readonly Check[] = [
  ...messageChecks,
  ...handshakeChecks,
  ...negotiationChecks,
  ...subscribeChecks,
  ...actionChecks,
  ...reconnectChecks,
  ...rootChecks,
  ...sessionChecks,
  ...chatChecks,
  ...turnChecks,
  ...requestChecks,
  ...terminalChecks,
  ...resourceChecks,
];
