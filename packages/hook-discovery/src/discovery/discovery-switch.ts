/** `HOOKLINE_DISCOVERY=off`: installed hooks are not switched on by themselves, whatever the code says. */
export function isDiscoveryOff(): boolean {
  return process.env.HOOKLINE_DISCOVERY?.toLowerCase() === 'off';
}
