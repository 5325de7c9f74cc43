/** `HOOKLINE_DISCOVERY=off`: installed hooks are on only when the user names them, whatever the code says. */
export function isDiscoveryOff(): boolean {
  return process.env.HOOKLINE_DISCOVERY?.toLowerCase() === 'off';
}
