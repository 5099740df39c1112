// What the world says of addresses and names of hosts.

/** What has none gives an empty list; an answer that could not be had is thrown. */
export interface HostNames {
  namesOf(address: string): Promise<string[]>
  addressesOf(name: string): Promise<string[]>
}
