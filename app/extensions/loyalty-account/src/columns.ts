/** Side by side where there is room. */
export const TWO_COLUMNS = '@container (inline-size > 640px) 1fr 1fr, 1fr';
