import { useMutation } from '@tanstack/react-query';
import { api } from '../api.ts';
import { Dialog, ErrorNote, useSay } from '../parts.tsx';
import { words } from '../words.ts';

interface Props {
  readonly slug: string;
  readonly short: string;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

/** The focus begins on the harmless choice. */
export function RevokeDialog({ slug, short, onClose, onRevoked }: Props) {
  const say = useSay();
  const revoke = useMutation({
    mutationFn: () => api.revoke(slug),
    onSuccess: () => {
      say(words.revoke.done);
      onRevoked();
    },
  });
  return (
    <Dialog
      title={words.revoke.title(short)}
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {words.revoke.keep}
          </button>
          <button type="button" className="btn danger-solid" onClick={() => !revoke.isPending && revoke.mutate()}>
            {words.revoke.act}
          </button>
        </>
      }
    >
      <p>
        {words.revoke.atOnce} <b>{words.revoke.final}</b>
        {words.revoke.never}
      </p>
      <ErrorNote error={revoke.error} />
    </Dialog>
  );
}
