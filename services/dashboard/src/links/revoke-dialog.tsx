import { once } from '../api.ts';
import { ConfirmDialog } from '../components/index.ts';
import { useRefresh } from '../hooks/use-refresh.ts';
import { fill, words } from '../words.ts';

const t = words.revoke;

export interface LinkDialogProps {
  readonly slug: string;
  readonly short: string;
  readonly onClose: () => void;
}

export function RevokeDialog({ slug, short, onClose }: LinkDialogProps) {
  const refresh = useRefresh([]);
  return (
    <ConfirmDialog
      title={fill(t.title, { short })}
      why={
        <>
          {t.atOnce} <b>{t.final}</b>
          {t.never}
        </>
      }
      cancelLabel={t.keep}
      submitLabel={t.act}
      send={() => once.revoke(slug)}
      lookUp={async () => {
        const link = await once.get(slug);
        return link.status === 'revoked' ? { answer: link } : undefined;
      }}
      onSent={() => void refresh(t.done)}
      onClose={onClose}
    />
  );
}
