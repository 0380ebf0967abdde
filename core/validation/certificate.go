package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// The parts of projected volumes that hold certificates.

func (c *check) trustBundle(b *api.ClusterTrustBundleProjection, p *field.Path, paths *pathSet) {
	switch {
	case b.Name != nil && b.SignerName != nil:
		c.invalid(p, internal(b), "only one of name and signerName may be used")
	case b.Name != nil:
		if *b.Name == "" {
			c.required(p.Child("name"), "must be a valid object name")
		}
		for _, m := range isTrustBundle(*b.Name) {
			c.invalid(p.Child("name"), *b.Name, "not a valid clustertrustbundlename: "+m)
		}
		if b.LabelSelector != nil {
			c.invalid(p.Child("labelSelector"), internal(b.LabelSelector), "labelSelector must be unset if name is specified")
		}
	case b.SignerName != nil:
		if *b.SignerName == "" {
			c.required(p.Child("signerName"), "must be a valid signer name")
		}
		c.signer(*b.SignerName, p.Child("signerName"))
		c.selector(p.Child("labelSelector"), b.LabelSelector)
	default:
		c.required(p, "either name or signerName must be specified")
	}
	c.filled(p.Child("path"), b.Path)
	c.fileOwner(b.User, p.Child("user"))
	c.nonReserved(b.Path, p.Child("path"))
	paths.take(b.Path, b.Path)
}

// isTrustBundle checks a name whose part before the last colon is a signer's.
func isTrustBundle(name string) []string {
	signer, rest, named := cutLast(name, ":")
	if !named {
		return isSubdomain(name)
	}
	if strings.Contains(signer, ":") {
		return []string{"ClusterTrustBundle signerName must be " + signer}
	}
	return isSubdomain(rest)
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// signer checks the name of a signer: a domain and a path.
func (c *check) signer(s string, p *field.Path) {
	domain, path, ok := strings.Cut(s, "/")
	switch {
	case s == "":
		c.required(p, "")
	case !ok || strings.Contains(path, "/"):
		c.invalid(p, s, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
	case !strings.Contains(domain, "."):
		c.invalid(p, domain, "should be a domain with at least two segments separated by dots")
	default:
		c.each(p, domain, isSubdomain(domain))
		c.each(p, path, isSubdomain(path))
	}
}

// domainKey checks a key that has a domain before it.
func (c *check) domainKey(k string, p *field.Path) {
	switch errs := field.IsLabelKey(k); {
	case k == "":
		c.required(p, "")
	case len(errs) > 0:
		c.each(p, k, errs)
	case !strings.Contains(k, "/"):
		c.invalid(p, k, `must be a domain-prefixed key (such as "acme.io/foo")`)
	}
}

var keyTypes = []string{"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"}

func (c *check) certificate(s *api.PodCertificateProjection, p *field.Path, paths *pathSet) {
	c.signer(s.SignerName, p.Child("signerName"))
	for _, k := range sorted(s.UserAnnotations) {
		c.domainKey(strings.ToLower(k), p.Child("userAnnotations"))
	}
	c.fileOwner(s.User, p.Child("user"))
	c.supported(p.Child("keyType"), s.KeyType, keyTypes...)
	if n := s.MaxExpirationSeconds; n != nil && *n < 3600 {
		c.invalid(p.Child("maxExpirationSeconds"), *n, "if provided, maxExpirationSeconds must be >= 3600")
	}
	files := []struct{ name, path string }{{"credentialBundlePath", s.CredentialBundlePath}, {"keyPath", s.KeyPath},
		{"certificateChainPath", s.CertificateChainPath}}
	count := 0
	for _, f := range files {
		if f.path != "" {
			count++
			c.nonReserved(f.path, p.Child(f.name))
			paths.take(f.path, f.path)
		}
	}
	if count == 0 {
		c.required(p, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath")
	}
}
