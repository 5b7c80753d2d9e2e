/** Texts of the feature `questions`. */
export const questions = {};
