/** Texts of the feature `palette`. */
export const palette = {};
