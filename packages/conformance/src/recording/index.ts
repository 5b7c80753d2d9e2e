export { checkRecording, type RecordingProblem } from './check-recording.ts';
export type { CloseEntry, Direction, DroppedEntry, Entry, FrameEntry, Message } from './entry.ts';
export { type HarCreator, harOf } from './har.ts';
export { RecordingError, readRecording } from './read-recording.ts';
export { recordServerTransport, recordTransport } from './record-transport.ts';
export { FrameRecorder, type RecorderOptions } from './recorder.ts';
export { REMOVED } from './secrets.ts';
