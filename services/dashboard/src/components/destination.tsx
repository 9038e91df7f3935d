/**
 * The URL is shown as text, not as a link, because it may be dangerous. It is isolated, so that its characters cannot
 * reorder the rest of the line.
 */
export function Destination({ url, full = false }: { url: string; full?: boolean }) {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const at = host === '' ? -1 : url.toLowerCase().indexOf(host);
  const end = at + host.length;
  return (
    <bdi className={full ? undefined : 'dest'} dir="ltr" title={full ? undefined : url}>
      {at < 0 ? url : full && url.slice(0, at)}
      {at >= 0 && <b>{url.slice(at, end)}</b>}
      {at >= 0 && url.slice(end)}
    </bdi>
  );
}
