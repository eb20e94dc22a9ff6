/** Photographs by their bytes, which only a session may read: kept as addresses of the page while they are wanted. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

type Read = (id: string, size: string) => Promise<Blob>;

/** The large ones of ten records, and their small ones. */
const MOST = 120;

export class Pictures {
  private readonly kept = new Map<string, Promise<string>>();

  constructor(private readonly read: Read) {}

  /** The address of a rendition. Those that were wanted longest ago are forgotten. */
  address(id: string, size: string): Promise<string> {
    const key = `${id} ${size}`;
    const known = this.kept.get(key);
    this.kept.delete(key);
    const address = known ?? this.load(key, id, size);
    this.kept.set(key, address);
    return address;
  }

  private async load(key: string, id: string, size: string): Promise<string> {
    const oldest = this.kept.size >= MOST ? [...this.kept].slice(0, 1) : [];
    for (const [name, address] of oldest) {
      this.kept.delete(name);
      void address.then((old) => URL.revokeObjectURL(old));
    }
    try {
      return URL.createObjectURL(await this.read(id, size));
    } catch (error) {
      this.kept.delete(key);
      throw error;
    }
  }

  /** Loads and decodes ahead, so that it is painted at once. */
  async prepare(id: string, size: string): Promise<void> {
    try {
      const image = new Image();
      image.src = await this.address(id, size);
      await image.decode();
    } catch {
      // Tried again, and told, when it is shown.
    }
  }

  /** @throws nothing; to be called when the page is left */
  close(): void {
    for (const address of this.kept.values())
      void address.then((one) => URL.revokeObjectURL(one)).catch(() => undefined);
    this.kept.clear();
  }
}

const Shared = createContext<Pictures | null>(null);

export const PicturesProvider = ({
  pictures,
  children,
}: {
  readonly pictures: Pictures;
  readonly children: ReactNode;
}) => <Shared.Provider value={pictures}>{children}</Shared.Provider>;

/** @returns the address of a rendition; null before it is there, or where it cannot be read */
export function usePicture(
  id: string | null,
  size: string,
): { readonly address: string | null; readonly isMissing: boolean } {
  const pictures = useContext(Shared);
  const [loaded, setLoaded] = useState<{
    readonly key: string;
    readonly address: string | null;
  } | null>(null);
  const key = `${id} ${size}`;
  useEffect(() => {
    let isWanted = true;
    if (id !== null && pictures)
      pictures.address(id, size).then(
        (address) => isWanted && setLoaded({ key, address }),
        () => isWanted && setLoaded({ key, address: null }),
      );
    return () => {
      isWanted = false;
    };
  }, [pictures, id, size, key]);
  const isCurrent = loaded?.key === key;
  return {
    address: isCurrent ? loaded.address : null,
    isMissing: isCurrent && loaded.address === null,
  };
}
