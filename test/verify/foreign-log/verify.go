// Verifies one of the record's logs with what Go's checksum database is verified with, in code that
// is not Countersign's: golang.org/x/mod/sumdb/note opens the signed checkpoint, tlog checks tiles,
// the inclusion of entries, and that the tree goes on from earlier checkpoints.
//
//	verify -log <folder of one log> -key <name+id+key> [-every 1] [-known <checkpoint>]...
//
// It exits with 1 where something does not hold, and with 2 where it is called in a wrong way.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8
const width = 1 << height

// The folder's tiles. C2SP's paths are those of the checksum database without the tile's height.
type folder string

func (f folder) Height() int                         { return height }
func (f folder) SaveTiles(_ []tlog.Tile, _ [][]byte) {}

func (f folder) file(tile tlog.Tile, kind string) string {
	path := strings.TrimPrefix(tile.Path(), "tile/8/")
	_, rest, _ := strings.Cut(path, "/")
	return filepath.Join(string(f), "tile", kind, rest)
}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		kind := fmt.Sprint(tile.L)
		data, err := os.ReadFile(f.file(tile, kind))
		if err != nil && tile.W < width {
			// What a full tile begins with is the same.
			whole := tile
			whole.W = width
			data, err = os.ReadFile(f.file(whole, kind))
			if err == nil && len(data) > tile.W*tlog.HashSize {
				data = data[:tile.W*tlog.HashSize]
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (f folder) entries(n int64, count int) ([][]byte, error) {
	data, err := os.ReadFile(f.file(tlog.Tile{H: height, L: 0, N: n, W: count}, "entries"))
	if err != nil {
		return nil, err
	}
	if reader, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		if data, err = io.ReadAll(reader); err != nil {
			return nil, err
		}
	}
	var entries [][]byte
	for len(data) > 0 {
		if len(data) < 2 || len(data) < 2+int(data[0])<<8+int(data[1]) {
			return nil, fmt.Errorf("bundle %d ends within an entry", n)
		}
		end := 2 + int(data[0])<<8 + int(data[1])
		entries = append(entries, data[2:end])
		data = data[end:]
	}
	if len(entries) != count {
		return nil, fmt.Errorf("bundle %d has %d entries, not %d", n, len(entries), count)
	}
	return entries, nil
}

func open(text []byte, key string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	origin, rest, _ := strings.Cut(opened.Text, "\n")
	if origin != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("the checkpoint is of the log %q", origin)
	}
	// ParseTree expects the checksum database's own name.
	return tlog.ParseTree([]byte("go.sum database tree\n" + rest))
}

func verify(files folder, key string, every int64, known []string) error {
	text, err := os.ReadFile(filepath.Join(string(files), "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := open(text, key)
	if err != nil {
		return err
	}
	reader := tlog.TileHashReader(tree, files)
	var checked int64
	for n := int64(0); n*width < tree.N; n += every {
		count := width
		if tree.N-n*width < width {
			count = int(tree.N - n*width)
		}
		entries, err := files.entries(n, count)
		if err != nil {
			return err
		}
		indexes := make([]int64, count)
		for i := range indexes {
			indexes[i] = tlog.StoredHashIndex(0, n*width+int64(i))
		}
		hashes, err := reader.ReadHashes(indexes)
		if err != nil {
			return fmt.Errorf("bundle %d: %w", n, err)
		}
		for i, entry := range entries {
			if tlog.RecordHash(entry) != hashes[i] {
				return fmt.Errorf("entry %d is not the tree's", n*width+int64(i))
			}
		}
		checked += int64(count)
		// The tiles were checked with the root; the proof is checked without them.
		proof, err := tlog.ProveRecord(tree.N, n*width, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, n*width, tlog.RecordHash(entries[0])); err != nil {
			return fmt.Errorf("entry %d: %w", n*width, err)
		}
	}
	for _, path := range known {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		older, err := open(text, key)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if older.N > tree.N {
			return fmt.Errorf("the log has %d entries, and had %d", tree.N, older.N)
		}
		proof, err := tlog.ProveTree(tree.N, older.N, reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, older.N, older.Hash); err != nil {
			return fmt.Errorf("the log does not go on from its first %d entries: %w", older.N, err)
		}
	}
	fmt.Printf("%d entries, %d verified, %d earlier checkpoints\n", tree.N, checked, len(known))
	return nil
}

type list []string

func (l *list) String() string         { return strings.Join(*l, " ") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

func main() {
	var known list
	log := flag.String("log", "", "the folder of one log, with its checkpoint")
	key := flag.String("key", "", "the log's key: name+id+key")
	every := flag.Int64("every", 1, "reads every so manieth bundle")
	flag.Var(&known, "known", "a file with an earlier checkpoint of the log")
	flag.Parse()
	if *log == "" || *key == "" || *every < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := verify(folder(*log), *key, *every, known); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
