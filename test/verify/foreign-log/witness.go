// Answers one add-checkpoint of C2SP's tlog-witness with what Go's checksum database is verified
// with: golang.org/x/mod/sumdb/note opens the checkpoint, and tlog checks the consistency proof.
//
//	witness -log <name+id+key> -name <its own name> -state <folder> < request
//
// It prints the status on a line, and then the answer's body; with -key its own key, and no more.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const now = 1_790_000_000

func answer(body, key, name, state string, secret ed25519.PrivateKey) (int, string) {
	head, checkpoint, found := strings.Cut(body, "\n\n")
	lines := strings.Split(head, "\n")
	oldSize, err := strconv.ParseInt(strings.TrimPrefix(lines[0], "old "), 10, 64)
	if !found || err != nil || !strings.HasPrefix(lines[0], "old ") || len(lines) > 64 {
		return 400, ""
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return 500, err.Error()
	}
	origin, _, _ := strings.Cut(checkpoint, "\n")
	if origin != verifier.Name() {
		return 404, ""
	}
	opened, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	if err != nil {
		return 403, ""
	}
	_, rest, _ := strings.Cut(opened.Text, "\n")
	tree, err := tlog.ParseTree([]byte("go.sum database tree\n" + rest))
	if err != nil || oldSize > tree.N {
		return 400, ""
	}
	seenFile := filepath.Join(state, "seen")
	var seen tlog.Tree
	if text, err := os.ReadFile(seenFile); err == nil {
		if seen, err = tlog.ParseTree(text); err != nil {
			return 500, err.Error()
		}
	}
	if seen.N != oldSize || (seen.N == tree.N && seen.Hash != tree.Hash) {
		return 409, fmt.Sprintf("%d\n", seen.N)
	}
	var proof tlog.TreeProof
	for _, line := range lines[1:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return 400, ""
		}
		proof = append(proof, hash)
	}
	if oldSize == 0 || oldSize == tree.N {
		if len(proof) > 0 {
			return 422, ""
		}
	} else if err := tlog.CheckTree(proof, tree.N, tree.Hash, seen.N, seen.Hash); err != nil {
		return 422, ""
	}
	if err := os.WriteFile(seenFile, tlog.FormatTree(tree), 0o600); err != nil {
		return 500, err.Error()
	}
	signature := make([]byte, 12, 76)
	copy(signature, keyID(name, secret))
	binary.BigEndian.PutUint64(signature[4:], now)
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", now, opened.Text)
	signature = append(signature, ed25519.Sign(secret, []byte(signed))...)
	return 200, fmt.Sprintf("— %s %s\n", name, base64.StdEncoding.EncodeToString(signature))
}

func typedKey(secret ed25519.PrivateKey) []byte {
	return append([]byte{4}, secret.Public().(ed25519.PublicKey)...)
}

func keyID(name string, secret ed25519.PrivateKey) []byte {
	hash := sha256.Sum256(append([]byte(name+"\n"), typedKey(secret)...))
	return hash[:4]
}

func main() {
	key := flag.String("log", "", "the key of the log")
	name := flag.String("name", "witness.example/w1", "the witness's name")
	state := flag.String("state", "", "the folder of what it has seen")
	shows := flag.Bool("key", false, "prints the witness's own key")
	flag.Parse()
	secret := ed25519.NewKeyFromSeed([]byte("thirty-two bytes of a test's key"))
	if *shows {
		fmt.Printf("%s+%x+%s\n", *name, keyID(*name, secret), base64.StdEncoding.EncodeToString(typedKey(secret)))
		return
	}
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	status, text := answer(string(body), *key, *name, *state, secret)
	fmt.Printf("%d\n%s", status, text)
}
