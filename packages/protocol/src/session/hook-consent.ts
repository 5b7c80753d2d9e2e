/**
 * Name of the tool call by which a turn asks whether hooks may run. A client without a person denies the call, and the turn goes on without the
 * hooks.
 */
export const HOOK_CONSENT_TOOL = 'hooks';
