export {
  type OpenChat,
  type OpenChatOptions,
  openChat,
  RecordingSessionHost,
  type RunningTurn,
} from './open-chat.ts';
export {
  type ProviderCheck,
  ProviderCheckError,
  type ProviderUnderTest,
  providerChecks,
} from './provider-checks.ts';
export type { RecordedAsk } from './recording-ask.ts';
export type { RecordedCall, RecordedCallStatus } from './recording-call.ts';
export { RecordingTerminal } from './recording-terminal.ts';
export { RecordingTurn, type TurnEvent } from './recording-turn.ts';
