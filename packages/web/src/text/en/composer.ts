/** Texts of the feature `composer`. */
export const composer = {};
