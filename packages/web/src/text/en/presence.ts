/** Texts of the feature `presence`. */
export const presence = {};
