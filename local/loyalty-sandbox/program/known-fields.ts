type Known<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** Leaves out what is null: most fields of the contract may be absent but not null. */
export function knownFields<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== null)) as Known<T>;
}
