package apiserver

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"podwalk/core/api"
	"podwalk/core/codec"
	"podwalk/core/sim"
	"podwalk/core/store"
)

// Anonymous is the sender of a request that proves nothing.
var Anonymous = api.User{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}

// CertificateAuthority is the issuer of the certificates that the server believes.
const CertificateAuthority = "kubernetes"

const issuer = "https://kubernetes.default.svc.cluster.local"

// authenticate finds out who a credential proves, or why it proves nobody.
func (s *Server) authenticate(cred api.Credential, now sim.Time, read store.Snapshot) (u api.User, why string) {
	switch {
	case cred.Token != "":
		return s.account(cred.Token, now, read)
	case cred.Certificate != "":
		return s.subject(cred.Certificate, now)
	}
	return Anonymous, ""
}

// subject reads a certificate of the simulation: PEM headers Subject, Issuer and
// Not-After in the place of the encoded form.
func (s *Server) subject(pem string, now sim.Time) (u api.User, why string) {
	fields := map[string]string{}
	for _, line := range strings.Split(pem, "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok {
			fields[key] = strings.TrimSpace(value)
		}
	}
	if fields["Issuer"] != CertificateAuthority {
		return u, "x509: certificate signed by unknown authority"
	}
	if end, err := time.Parse(time.RFC3339, fields["Not-After"]); err == nil && end.Unix() < (s.cfg.Start+int64(now))/1e9 {
		return u, "x509: certificate has expired or is not yet valid: current time " +
			time.Unix(0, s.cfg.Start+int64(now)).UTC().Format(time.RFC3339) + " is after " + fields["Not-After"]
	}
	for _, part := range strings.Split(fields["Subject"], ",") {
		switch key, value, _ := strings.Cut(strings.TrimSpace(part), "="); key {
		case "CN":
			u.Name = value
		case "O":
			u.Groups = append(u.Groups, value)
		}
	}
	if u.Name == "" {
		return u, "x509: subject with no common name"
	}
	u.Groups = append(u.Groups, "system:authenticated")
	return u, ""
}

// issue makes a token of an account for a time (pkg/serviceaccount/claims.go).
func (s *Server) issue(a *api.ServiceAccount, now sim.Time, seconds int64, audiences []string) string {
	if len(audiences) == 0 {
		audiences = []string{issuer}
	}
	aud := make([]any, len(audiences))
	for i := range audiences {
		aud[i] = audiences[i]
	}
	at := (s.cfg.Start + int64(now)) / 1e9
	claims := map[string]any{
		"aud": aud, "exp": at + seconds, "iat": at, "iss": issuer, "nbf": at, "sub": accountPrefix + a.Namespace + ":" + a.Name,
		"kubernetes.io": map[string]any{"namespace": a.Namespace, "serviceaccount": map[string]any{"name": a.Name, "uid": a.UID}},
	}
	body := encode([]byte(`{"alg":"RS256","kid":"simulated"}`)) + "." + encode(codec.ToJSON(claims))
	return body + "." + s.sign(body)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// sign stands for a signature: it holds within one run.
func (s *Server) sign(body string) string {
	sum := sha256.Sum256([]byte(strconv.FormatUint(s.cfg.Random.Seed, 10) + "\x00" + body))
	return encode(sum[:])
}

// account finds the service account of a token.
func (s *Server) account(token string, now sim.Time, read store.Snapshot) (u api.User, why string) {
	dot := strings.LastIndexByte(token, '.')
	if dot < 0 || s.sign(token[:dot]) != token[dot+1:] {
		return u, "invalid bearer token"
	}
	_, body, _ := strings.Cut(token[:dot], ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return u, "invalid bearer token"
	}
	n, err := codec.ParseJSON(raw)
	if err != nil {
		return u, "invalid bearer token"
	}
	if exp := n.Get("exp"); exp != nil {
		if end, _ := strconv.ParseInt(exp.Text, 10, 64); end*1e9 < s.cfg.Start+int64(now) {
			return u, "invalid bearer token, service account token has expired"
		}
	}
	namespace, name := n.Str("kubernetes.io", "namespace"), n.Str("kubernetes.io", "serviceaccount", "name")
	a, ok := read.Get("ServiceAccount", namespace, name).(*api.ServiceAccount)
	if !ok || a.UID != n.Str("kubernetes.io", "serviceaccount", "uid") {
		return u, "invalid bearer token, service account token has been invalidated"
	}
	u.Name = accountPrefix + namespace + ":" + name
	u.Groups = accountGroups(u)
	return u, ""
}
