/** Texts of the feature `terminal`. */
export const terminal = {};
