/** Texts of the feature `settings`. */
export const settings = {};
