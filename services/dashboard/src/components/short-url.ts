export const shortUrl = (base: string, slug: string) => `${base.replace(/^https?:\/\//, '')}/${slug}`;
