/** The vendor's name is its own id: it is all the store has. */
export function brandForm(vendor: string | undefined): { OriginalId: string; Name: string } | null {
  return vendor === undefined ? null : { OriginalId: vendor, Name: vendor };
}
