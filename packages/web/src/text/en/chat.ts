/** Texts of the feature `chat`. */
export const chat = {};
