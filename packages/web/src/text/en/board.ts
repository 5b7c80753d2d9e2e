/** Texts of the feature `board`. */
export const board = {};
