// DNS look-ups of host names and addresses.

/** A name without an entry gives an empty list; a failed look-up throws. */
export interface HostNames {
  namesOf(address: string): Promise<string[]>
  addressesOf(name: string): Promise<string[]>
}
