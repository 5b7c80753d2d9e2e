export type { CloseEntry, Direction, DroppedEntry, Entry, FrameEntry, Message } from './entry.ts';
export { RecordingError, readRecording } from './read-recording.ts';
export { recordServerTransport, recordTransport } from './record-transport.ts';
export { FrameRecorder, type RecorderOptions } from './recorder.ts';
export { REMOVED } from './secrets.ts';
