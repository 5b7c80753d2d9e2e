/**
 * Conversion between version 1.0 and the older versions of the protocol.
 *
 * @packageDocumentation
 */
export { choiceOf } from './0.4.0/models.ts';
export { type Dialect, dialectOf, mostEnvelopes } from './chain.ts';
export { type Choice, type Choices, type Look, StateNeeded } from './reshape.ts';
