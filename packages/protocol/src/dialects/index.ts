/**
 * Conversion between version 1.0 and the older versions of the protocol.
 *
 * @packageDocumentation
 */
export { type Dialect, dialectOf, mostEnvelopes } from './chain.ts';
export { type Look, StateNeeded } from './reshape.ts';
