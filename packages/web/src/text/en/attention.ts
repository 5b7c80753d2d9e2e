/** Texts of the feature `attention`. */
export const attention = {};
