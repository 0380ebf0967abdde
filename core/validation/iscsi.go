package validation

import (
	"strings"

	"podwalk/core/api"
	"podwalk/core/api/field"
)

// iscsi is what the sources of pods and of volumes have in common.
type iscsi struct {
	portal, iqn string
	lun         int32
	chap        bool    // it asks for a secret
	secret      *string // its name
	initiator   *string
	persistent  bool
	volume      string // the name of a persistent one, of which the initiator's is made
	wrong       string // the words about a name of no kind
}

func podISCSI(s *api.ISCSIVolumeSource) iscsi {
	i := iscsi{portal: s.TargetPortal, iqn: s.IQN, lun: s.Lun, chap: s.DiscoveryCHAPAuth || s.SessionCHAPAuth, initiator: s.InitiatorName,
		wrong: "must be valid format starting with iqn, eui, or naa"}
	if s.SecretRef != nil {
		i.secret = &s.SecretRef.Name
	}
	return i
}

func volumeISCSI(s *api.ISCSIPersistentVolumeSource, volume string) iscsi {
	i := iscsi{portal: s.TargetPortal, iqn: s.IQN, lun: s.Lun, chap: s.DiscoveryCHAPAuth || s.SessionCHAPAuth, initiator: s.InitiatorName,
		persistent: true, volume: volume, wrong: "must be valid format"}
	if s.SecretRef != nil {
		i.secret = &s.SecretRef.Name
	}
	return i
}

func (c *check) iscsi(i iscsi, p *field.Path) {
	c.filled(p.Child("targetPortal"), i.portal)
	if i.persistent && i.initiator != nil && len(i.volume+":"+i.portal) > 64 {
		c.invalid(p.Child("targetportal"), i.portal,
			"Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.")
	}
	if i.iqn == "" {
		c.required(p.Child("iqn"), "")
	} else {
		c.iscsiName(p.Child("iqn"), i.iqn, i.wrong)
	}
	if i.lun < 0 || i.lun > 255 {
		c.invalid(p.Child("lun"), i.lun, between(0, 255))
	}
	if i.chap && i.secret == nil {
		c.required(p.Child("secretRef"), "")
	}
	if i.persistent && i.secret != nil {
		c.filled(p.Child("secretRef", "name"), *i.secret)
	}
	if i.initiator != nil {
		c.iscsiName(p.Child("initiatorname"), *i.initiator, i.wrong)
	}
}

func (c *check) iscsiName(p *field.Path, name, wrong string) {
	ok := false
	switch {
	case strings.HasPrefix(name, "iqn"):
		ok, wrong = isIQN(name), "must be valid format"
	case strings.HasPrefix(name, "eui"):
		ok, wrong = isWorldName(name, 16), "must be valid format"
	case strings.HasPrefix(name, "naa"):
		ok, wrong = isWorldName(name, 32), "must be valid format"
	}
	if !ok {
		c.invalid(p, name, wrong)
	}
}

// isWorldName checks eui. and naa. names: that many letters or digits.
func isWorldName(s string, length int) bool {
	const prefix = len("eui.")
	return len(s) == prefix+length && every(s[prefix:], alnum)
}

// isIQN checks iqn.YYYY-MM.domain:name.
func isIQN(s string) bool {
	rest, ok := strings.CutPrefix(s, "iqn.")
	domain, name, named := strings.Cut(rest, ":")
	if !ok || !named || name == "" || len(domain) < 9 || domain[4] != '-' || domain[7] != '.' || strings.ContainsAny(name, ",;*&$| \t\n\f\r") {
		return false
	}
	return every(domain[:4]+domain[5:7], func(b byte) bool { return b >= '0' && b <= '9' }) &&
		every(domain[8:], func(b byte) bool { return alnum(b) || b == '-' || b == '.' })
}
