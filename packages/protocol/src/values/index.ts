export { type Defined, defined } from './defined.ts';
export { errorCode, errorText, hasCode } from './errors.ts';
export { sameJson } from './same-json.ts';
