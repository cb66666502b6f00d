/** `npm run test:night` has an hour: what takes minutes and seldom changes runs then, and not before each merge. */
export const IS_NIGHT = process.env.NIGHT !== undefined;
