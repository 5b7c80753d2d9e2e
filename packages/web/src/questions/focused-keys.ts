/** Marks a place with panels of several sessions, whose keys work in the panel with the focus only. */
export const FOCUSED_KEYS = 'data-focused-keys';
